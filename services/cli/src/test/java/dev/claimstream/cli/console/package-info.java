@NullMarked
package dev.claimstream.cli.console;

import org.jspecify.annotations.NullMarked;
