/** How an API server reports that it could not call an admission webhook: an internal error that only its text tells from others. */
export const failedWebhook = /failed calling webhook "(?<webhook>[^"]+)": ?(?<rule>.*)$/s;
