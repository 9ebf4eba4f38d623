package dev.claimstream.kubernetes.miniature;

/**
 * One step in the life of an object.
 *
 * @param object as it is now; where it is gone: as it was last, with the version of its end
 */
record Event(Stored object, boolean gone) {}
