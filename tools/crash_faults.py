"""faults"""
def faults(options, room, tally): pass
