"""At which rates sounds were recorded, and whether all of them are brought to one."""
