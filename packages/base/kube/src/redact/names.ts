/** What names of credentials end with. Names of files and objects that hold one end otherwise. */
const longWords =
  "password|passwd|passphrase|token|secret|api[-_]?key|access[-_]?key(?:[-_]?id)?|account[-_]?key|private[-_]?key|secret[-_]key|credentials?|authorization|session[-_]?key|cookie";
/** Short ones end other words too, so they stand apart: `DB_PASS` and `dbPass`, not `bypass`. */
const shortWords = "(?:^|[-_.])(?:pass|pwd|creds)|[-_](?:key|auth)";
const named = new RegExp(`(?:(?:^|[-_./a-z0-9])(?:${longWords})|${shortWords})(?:[-_]?\\d+)?$`, "i");
const camel = /[a-z0-9](?:Pass|Pwd|Creds)$/;

/** The working directory, and how Kubernetes merges lists. */
const ofSystem = /^(?:OLD)?PWD$|^x-kubernetes-/;
/** Tokens of a text that a model reads or writes. */
const ofModel =
  /(?:^|[^a-z0-9])(?:bos|eos|eot|eom|eog|unk|sep|pad|mask|cls|lf|nl|pre|suf|mid|rep|special|max|min|stop|start|end|image|audio|video|prompt|per)[-_ ]?token$/i;
/** Keys of tables: what engines say of weights that do not fit. */
const ofTable =
  /(?:^|[-_.])(?:missing|unexpected|unknown|kv|attn|sort|primary|foreign|split|cache|public|state|dict|config|partition|merge|index|group|layer|tensor|weight|param|row|column|lookup|hash|value|query|object|json|label|topology)[-_]key$/i;

/** The words before a name in a text belong to it: `EOS token=2`. */
export const isSecretName = (name: string, before = ""): boolean =>
  (named.test(name) || camel.test(name)) &&
  ![ofSystem, ofTable].some((plain) => plain.test(name)) &&
  !ofModel.test(before + name);
