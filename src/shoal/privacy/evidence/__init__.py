"""What the models count with: classes of alike rows, holders of sets and of rows, recodings, numbers without meaning.

Nothing here is shared with methods. Models import these modules, and they import no model.
"""
