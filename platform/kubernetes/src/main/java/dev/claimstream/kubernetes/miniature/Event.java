package dev.claimstream.kubernetes.miniature;

/**
 * A change of an object.
 *
 * @param object new state; after a deletion the last state with the version of the deletion
 * @param gone whether the object was deleted
 */
record Event(Stored object, boolean gone) {}
