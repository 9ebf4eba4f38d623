package dev.claimstream.manifests.source;

/**
 * One document of a text.
 *
 * @param hasAliases whether some value stands for another that is written elsewhere; then places are not a tree
 */
public record SourceDocument(SourceNode root, boolean hasAliases) {}
