/** Reads YAML and JSON manifests of every served API version into domain objects, with findings, and writes them. */
@NullMarked
package dev.claimstream.manifests;

import org.jspecify.annotations.NullMarked;
