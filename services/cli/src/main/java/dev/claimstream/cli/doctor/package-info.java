/** The checks of {@code claimstream doctor} on brokers, schema registry and services. */
@NullMarked
package dev.claimstream.cli.doctor;

import org.jspecify.annotations.NullMarked;
