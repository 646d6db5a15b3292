throw new Error("this thread can't be loaded");
