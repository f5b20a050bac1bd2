import type { Diagnosis } from "@trivium/domain";

/** The sentence for a status: what is wrong, with which object, and what to do. */
export const formatDiagnosis = ({ cause, remedy }: Diagnosis): string => `${cause.replace(/[.\s]+$/, "")}; ${remedy}`;
