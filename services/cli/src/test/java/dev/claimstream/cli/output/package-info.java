@NullMarked
package dev.claimstream.cli.output;

import org.jspecify.annotations.NullMarked;
