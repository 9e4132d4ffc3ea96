/** Database role that scoped statements run as, unless the operator names another. */
export const APP_ROLE_DEFAULT = "memgate_app";
