"""Tables for people.

``rummylab.play`` is also the function that plays one hand: importing anything of this package puts it in that name's
place, so the package can be called like the function.
"""

import sys
from types import ModuleType
from typing import Any


class _PackageAndFunction(ModuleType):
    def __call__(self, *args: Any, **options: Any) -> Any:
        from rummylab.engine.referee import play

        return play(*args, **options)


sys.modules[__name__].__class__ = _PackageAndFunction
