// The live memory timeline: a picture of what happened in time, moment by moment.

import { fitted } from "../../live/fitted.js";
import { moments } from "../../live/moments.js";

export default { render: fitted(moments) };
