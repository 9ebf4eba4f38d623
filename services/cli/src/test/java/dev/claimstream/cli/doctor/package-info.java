@NullMarked
package dev.claimstream.cli.doctor;

import org.jspecify.annotations.NullMarked;
