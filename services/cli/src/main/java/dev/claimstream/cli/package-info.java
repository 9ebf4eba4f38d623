/** The command {@code claimstream}. It combines all services in one program. */
@NullMarked
package dev.claimstream.cli;

import org.jspecify.annotations.NullMarked;
