"""The lab: thousands of games at once, asked for on a page and played beside the requests.

``POST /lab`` puts a run among the jobs (:mod:`web.storage.jobs`), and the background process
(:mod:`web.background`) plays it, a second at a time.
"""
