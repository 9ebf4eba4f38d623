package dev.claimstream.dra;

/** The controller of an object, from {@code metadata.ownerReferences}. */
public record Owner(String kind, String name, String uid) {}
