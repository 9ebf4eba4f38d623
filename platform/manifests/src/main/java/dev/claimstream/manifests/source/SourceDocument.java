package dev.claimstream.manifests.source;

/**
 * One document of a text.
 *
 * @param hasAliases whether the document contains an alias; then the spans do not form a tree
 */
public record SourceDocument(SourceNode root, boolean hasAliases) {}
