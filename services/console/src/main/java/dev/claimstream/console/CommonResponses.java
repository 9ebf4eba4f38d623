package dev.claimstream.console;

import io.swagger.v3.oas.annotations.responses.ApiResponse;
import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

/** Describes the responses that every path of a controller can give, whatever it serves. */
@ApiResponse(responseCode = "400", ref = "#/components/responses/BadRequest")
@ApiResponse(responseCode = "403", ref = "#/components/responses/Forbidden")
@ApiResponse(responseCode = "406", ref = "#/components/responses/NotAcceptable")
@ApiResponse(responseCode = "421", ref = "#/components/responses/Misdirected")
@ApiResponse(responseCode = "503", ref = "#/components/responses/Unavailable")
@Retention(RetentionPolicy.RUNTIME)
@Target(ElementType.TYPE)
@interface CommonResponses {}
