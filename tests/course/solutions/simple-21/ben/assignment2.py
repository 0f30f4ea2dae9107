"""The whole game, straight down the page."""
import sys
import simple21


def ask(question):
    print(question, end=' ', flush=True)
    line = sys.stdin.readline()
    if not line:
        sys.exit('No more input.')
    return line.strip('\n')


print('*** 21 ***')
try:
    table = simple21.Table()
except Exception as trouble:
    print(trouble)
    print('Bye.')
    sys.exit()

number = 0
more = 'y'
while more[:1] in ('y', 'Y'):
    number += 1
    table.dealHands()
    print(table)
    bust = False
    while not bust and not table.playerNatural() and ask('[H]it or [s]tay?')[:1].lower() == 'h':
        bust = table.playerHit()
        print(table)
    if bust:
        print('Bust! The dealer wins', end=' ')
    elif table.playerNatural():
        print('A natural! Player wins', end=' ')
    elif table.dealerHit():
        print('Player wins', end=' ')
    else:
        table.whoWon()
    print('round', str(number) + '.')
    table.clearTable()
    more = ask('Another round (y/n)?')
    while more[:1] not in ('y', 'Y', 'n', 'N') or not more:
        more = ask('y or n:')
print('Bye, see you soon.')
