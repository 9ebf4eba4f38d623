/** Tests of the figures of separate services. */
@NullMarked
package dev.claimstream.load.services;

import org.jspecify.annotations.NullMarked;
