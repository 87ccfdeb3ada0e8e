raise RuntimeError("this file cannot be imported")
