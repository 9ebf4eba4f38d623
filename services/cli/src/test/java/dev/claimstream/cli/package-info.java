/** What the command says and does, tried from outside. */
@NullMarked
package dev.claimstream.cli;

import org.jspecify.annotations.NullMarked;
