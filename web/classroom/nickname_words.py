"""The words of offered nicknames: an adjective and a noun of one language.

All are harmless alone and together. The German nouns are masculine, so every adjective fits.
"""

from collections.abc import Mapping
from typing import Final

WORDS: Final[Mapping[str, tuple[tuple[str, ...], tuple[str, ...]]]] = {
    "en": (
        (
            *("Agile", "Amber", "Azure", "Balmy", "Bold", "Brave", "Breezy", "Bright", "Brisk"),
            *("Calm", "Candid", "Cheery", "Clever", "Copper", "Coral", "Cosy", "Crisp", "Curious"),
            *("Daring", "Deft", "Eager", "Early", "Earnest", "Fair", "Fluffy", "Frosty", "Gentle"),
            *("Glad", "Golden", "Happy", "Hardy", "Hazel", "Honest", "Humble", "Ivory", "Jolly"),
            *("Keen", "Kind", "Lively", "Loyal", "Lucky", "Lunar", "Mellow", "Merry", "Mighty"),
            *("Mild", "Misty", "Modest", "Neat", "Nimble", "Noble", "Opal", "Patient", "Peppy"),
            *("Placid", "Plucky", "Polite", "Proud", "Quick", "Quiet", "Rapid", "Ready", "Rustic"),
            *("Sandy", "Serene", "Sharp", "Silver", "Sleek", "Snowy", "Solar", "Speedy", "Steady"),
            *("Sunny", "Swift", "Thrifty", "Tidy", "Tranquil", "Trusty", "Velvet", "Vivid"),
        ),
        (
            *("Badger", "Beaver", "Bison", "Bittern", "Bunting", "Caribou", "Cheetah"),
            *("Cicada", "Condor", "Chamois", "Crane", "Cricket", "Curlew", "Dolphin", "Dormouse"),
            *("Dove", "Dragonfly", "Dunlin", "Eagle", "Egret", "Elk", "Falcon", "Ferret", "Finch"),
            *("Firefly", "Fox", "Gazelle", "Gecko", "Gibbon", "Goldfinch", "Grouse", "Hare"),
            *("Hedgehog", "Heron", "Ibex", "Ibis", "Iguana", "Jackdaw", "Kestrel", "Kingfisher"),
            *("Koala", "Lark", "Lemur", "Leopard", "Linnet", "Llama", "Lynx", "Magpie", "Marmot"),
            *("Marten", "Meerkat", "Moose", "Newt", "Nuthatch", "Ocelot", "Okapi", "Oriole"),
            *("Otter", "Owl", "Panda", "Pelican", "Penguin", "Plover", "Puffin", "Quail"),
            *("Raccoon", "Raven", "Robin", "Salmon", "Seal", "Snail", "Sparrow", "Squirrel"),
            *("Starling", "Stork", "Swallow", "Tapir", "Walrus", "Wombat", "Wren"),
        ),
    ),
    "de": (
        (
            *("Achtsamer", "Alerter", "Artiger", "Bedachter", "Beherzter", "Besonnener"),
            *("Bunter", "Cleverer", "Edler", "Ehrlicher", "Eifriger", "Eleganter", "Emsiger"),
            *("Fairer", "Famoser", "Feiner", "Findiger", "Fleißiger", "Flinker", "Flotter"),
            *("Forscher", "Freier", "Froher", "Fröhlicher", "Geduldiger", "Gelassener"),
            *("Genauer", "Geschickter", "Gewandter", "Gewitzter", "Glücklicher", "Goldener"),
            *("Heiterer", "Heller", "Herzlicher", "Hurtiger", "Höflicher", "Kecker", "Kluger"),
            *("Kreativer", "Kühner", "Lebhafter", "Leiser", "Lieber", "Lockerer", "Lustiger"),
            *("Milder", "Munterer", "Mutiger", "Netter", "Neugieriger", "Patenter", "Pfiffiger"),
            *("Putziger", "Quirliger", "Rascher", "Reger", "Robuster", "Ruhiger", "Sanfter"),
            *("Schlauer", "Schneller", "Silberner", "Smarter", "Sonniger", "Sorgsamer"),
            *("Sportlicher", "Stiller", "Stolzer", "Tapferer", "Treuer", "Tüchtiger"),
            *("Umsichtiger", "Vergnügter", "Wacher", "Wackerer", "Weiser", "Wendiger"),
            *("Witziger", "Zufriedener"),
        ),
        (
            *("Adler", "Ameisenbär", "Bergfink", "Biber", "Buchfink", "Bussard", "Dachs"),
            *("Delfin", "Dompfaff", "Eichelhäher", "Eisbär", "Eisvogel", "Elch", "Falke"),
            *("Fasan", "Feldhase", "Fischotter", "Flamingo", "Frosch", "Fuchs", "Gecko"),
            *("Gepard", "Grünfink", "Habicht", "Hamster", "Hase", "Hirsch", "Igel", "Iltis"),
            *("Jaguar", "Kakadu", "Kauz", "Kiebitz", "Koala", "Kolibri", "Kondor", "Kormoran"),
            *("Kranich", "Lachs", "Leguan", "Lemur", "Leopard", "Luchs", "Marabu", "Marder"),
            *("Maulwurf", "Milan", "Nandu", "Nasenbär", "Otter", "Ozelot", "Panda", "Panther"),
            *("Papagei", "Pelikan", "Pinguin", "Puma", "Reiher", "Salamander", "Schneehase"),
            *("Schwan", "Seeadler", "Seehund", "Seelöwe", "Seestern", "Specht", "Sperber"),
            *("Sperling", "Steinbock", "Stieglitz", "Storch", "Tapir", "Tukan", "Uhu"),
            *("Waldkauz", "Waschbär", "Wiedehopf", "Wisent", "Zaunkönig", "Zeisig"),
        ),
    ),
}
