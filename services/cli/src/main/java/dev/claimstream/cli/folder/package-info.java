/** The data folder of {@code claimstream up}: its lock, its endpoints and its free disk space. */
@NullMarked
package dev.claimstream.cli.folder;

import org.jspecify.annotations.NullMarked;
