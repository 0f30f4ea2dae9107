"""The parts that all rooms of a class share: the class, its visitors, codes, forms and presence."""
