@NullMarked
package dev.claimstream.s3;

import org.jspecify.annotations.NullMarked;
