"""What all rooms of a class share: the class, who is asking, codes, forms and presence."""
