// The live memory timeline: a picture of what happened in time, moment by moment.

import { moments } from "../../live/moments.js";

export default { render: moments };
