"""Drawing of what an agent says about its views, under its published name."""

from abotn.rendering.visualization import _HANDLERS, affordance_pixel, register_handler, visualise

__all__ = ["_HANDLERS", "affordance_pixel", "register_handler", "visualise"]
