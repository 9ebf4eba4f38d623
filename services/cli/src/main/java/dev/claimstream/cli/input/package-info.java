/** Input of the commands: manifests, JSON responses, and options with paths, addresses and feature gates. */
@NullMarked
package dev.claimstream.cli.input;

import org.jspecify.annotations.NullMarked;
