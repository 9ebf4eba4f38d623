package dev.claimstream.kubernetes.miniature;

/**
 * A change of an object.
 *
 * @param object new state; after a deletion the last state with the version of the deletion
 * @param isDeleted whether the object was deleted
 */
record ObjectChange(StoredObject object, boolean isDeleted) {}
