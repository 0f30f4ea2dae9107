# Assignment 2
# Ada
from queues import CircularQueue
from random import shuffle


class Card:
    '''a playing card'''

    def __init__(self, code, faceUp):
        assert type(code) == str, "code has to be a string"
        assert len(code) == 2, "code has to have 2 characters"
        code = code.upper()
        assert code[0] in ['A', '2', '3', '4', '5', '6', '7', '8', '9', 'T', 'J', 'Q', 'K'], "bad rank"
        assert code[1] in ['C', 'D', 'H', 'S'], "bad suit"
        assert type(faceUp) == bool, "faceUp has to be a boolean"
        self.__rank = code[0]
        self.__suit = code[1]
        self.__faceUp = faceUp

    def getRank(self):
        return self.__rank

    def getSuit(self):
        return self.__suit

    def getValue(self):
        if self.__rank == 'A':
            return 1
        elif self.__rank in 'TJQK':
            return 10
        else:
            return int(self.__rank)

    def isFaceUp(self):
        return self.__faceUp

    def turnOver(self):
        if self.__faceUp == True:
            self.__faceUp = False
        else:
            self.__faceUp = True

    def __str__(self):
        if self.__faceUp:
            return '[ ' + self.__rank + self.__suit + ' ]'
        return '[ xx ]'


class EmptyDeckException(Exception):
    def __init__(self):
        self.args = ("Cannot deal card from an empty deck.", )


class Deck:
    def __init__(self):
        self.__cards = CircularQueue(52)
        opened = False
        while not opened:
            name = input("Please enter the name of the deck file: ")
            try:
                f = open(name, 'r')
                opened = True
            except:
                print("Sorry, that file could not be opened. Try another one.")
        ok = True
        seen = []
        try:
            lines = f.read().split('\n')
            if lines[-1] == '':
                lines.pop()
            for line in lines:
                c = Card(line.strip(), False)
                code = c.getRank() + c.getSuit()
                if code in seen:
                    ok = False
                seen.append(code)
                if not self.__cards.isFull():
                    self.__cards.enqueue(c)
            if len(seen) != 52:
                ok = False
        except Exception:
            ok = False
        f.close()
        if ok == False:
            self.__cards.clear()
            raise Exception("Cannot populate deck: invalid data in " + name)

    def deal(self):
        if self.__cards.isEmpty():
            raise EmptyDeckException()
        c = self.__cards.dequeue()
        if not c.isFaceUp():
            c.turnOver()
        return c

    def repopulate(self, cardList):
        print("The deck is being repopulated with the discarded cards.")
        shuffle(cardList)
        for c in cardList:
            if c.isFaceUp():
                c.turnOver()
            self.__cards.enqueue(c)

    def __str__(self):
        s = "FRONT: "
        n = self.__cards.size()
        i = 0
        while i < n:
            c = self.__cards.dequeue()
            c.turnOver()
            s += str(c) + "\n"
            c.turnOver()
            self.__cards.enqueue(c)
            i += 1
        return s


if __name__ == "__main__":
    c = Card('jd', True)
    assert str(c) == '[ JD ]'
    c.turnOver()
    assert str(c) == '[ xx ]'
    assert c.getValue() == 10
    try:
        Card('1D', True)
        print("this should not be seen")
    except AssertionError:
        pass
    print("card tests done")
    try:
        d = Deck()
        print(d)
        print(d.deal())
    except Exception as e:
        print(e)
