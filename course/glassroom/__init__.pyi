"""What type checkers and editors see: the names of `__init__.py`, which finds them on first use."""

from glassroom.exercises import check as check
from glassroom.exercises import hint as hint
from glassroom.exercises import predict as predict
from glassroom.exercises.attempt import attempt as attempt
from glassroom.exercises.course_device import course_device as course_device
from glassroom.exercises.draw import draw as draw
from glassroom.exercises.my_tensor.keep import keep as keep
from glassroom.exercises.report import progress as progress
from glassroom.exercises.review import read_again as read_again
from glassroom.exercises.stand_in import stand_in as stand_in
from glassroom.inspectors.aliases.inspector import aliases as aliases
from glassroom.inspectors.autograd_graph.inspector import graph as graph
from glassroom.inspectors.backward.inspector import step_backward as step_backward
from glassroom.inspectors.broadcasting.inspector import explore_broadcast as explore_broadcast
from glassroom.inspectors.devices.inspector import device_map as device_map
from glassroom.inspectors.holders.inspector import holders as holders
from glassroom.inspectors.indexing.inspector import explore_index as explore_index
from glassroom.inspectors.memory_map.inspector import show as show
from glassroom.inspectors.model_map.inspector import model_map as model_map
from glassroom.inspectors.strides.inspector import explore_strides as explore_strides
from glassroom.inspectors.timeline.inspector import memory_timeline as memory_timeline
from glassroom.inspectors.timeline.log.inspector import memory_log as memory_log
from glassroom.inspectors.version_error.inspector import explain_error as explain_error
from glassroom.inspectors.watch.inspector import watch as watch
from glassroom.inspectors.watch.magic import load_ipython_extension as load_ipython_extension
from glassroom.lessons.lesson import explain as explain
from glassroom.own_lines import read as read

__version__: str
