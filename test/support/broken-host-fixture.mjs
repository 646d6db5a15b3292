throw new RangeError("the entry can't be loaded");
