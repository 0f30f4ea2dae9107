"""The parts that all areas of a class share: the class, its visitors, codes, forms and presence."""
