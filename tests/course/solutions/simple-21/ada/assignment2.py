# Assignment 2
# Ada
from simple21 import Table


def main():
    print("Welcome to 21!")
    try:
        table = Table()
    except Exception as e:
        print(e.args[0])
        print("The game is over. Goodbye!")
        return
    roundNumber = 1
    again = True
    while again:
        print("ROUND", roundNumber)
        table.dealHands()
        print(table)
        bust = False
        answer = input("Hit or stay? ")
        while not bust and answer != '' and answer[0] in 'Hh':
            bust = table.playerHit()
            print(table)
            if not bust:
                answer = input("Hit or stay? ")
        if bust:
            print("You went over 21, so you are bust!")
            print("Dealer wins")
        elif table.playerNatural():
            print("You have exactly 21.")
            print("Player wins")
        else:
            table.dealerHit()
            table.whoWon()
        print("That was round", roundNumber)
        table.clearTable()
        reply = input("Do you want to play another round (y/n)? ")
        while reply == '' or reply[0] not in 'YyNn':
            print("Please answer yes or no.")
            reply = input("Do you want to play another round (y/n)? ")
        again = reply[0] in 'Yy'
        roundNumber += 1
    print("Thanks for playing, goodbye!")


if __name__ == "__main__":
    main()
