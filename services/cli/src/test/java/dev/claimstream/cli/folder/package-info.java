@NullMarked
package dev.claimstream.cli.folder;

import org.jspecify.annotations.NullMarked;
