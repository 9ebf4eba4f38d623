@NullMarked
package dev.claimstream.cli.standalone;

import org.jspecify.annotations.NullMarked;
