// A widget that its kernel tells further things.

/**
 * Have a widget take what its kernel tells it. anywidget drops all messages to a widget whose module took more than two seconds to
 * load, as on a busy machine, and reports no error; so they are taken as other widgets take them, and the kernel tells again what
 * it has told so far.
 */
export async function listen(model) {
  const own = await model.widget_manager?.get_model?.(model.get("name_of_model"));
  const take = own && Object.getPrototypeOf(own.constructor.prototype)._handle_comm_msg;
  if (take) own.comm?.on_msg((message) => take.call(own, message));
  model.set("awake", model.get("awake") + 1);
  model.save_changes();
}
