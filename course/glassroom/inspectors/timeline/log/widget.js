// The live memory log: a picture of the steps that were looked at, one by one.

import { fitted } from "../../../live/fitted.js";
import { moments } from "../../../live/moments.js";

export default { render: fitted(moments) };
