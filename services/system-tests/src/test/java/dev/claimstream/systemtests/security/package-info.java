/** Tests of encrypted and authenticated connections. */
@NullMarked
package dev.claimstream.systemtests.security;

import org.jspecify.annotations.NullMarked;
