@NullMarked
package dev.claimstream.cli.input;

import org.jspecify.annotations.NullMarked;
