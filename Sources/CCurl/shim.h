#ifndef REELFS_CCURL_H
#define REELFS_CCURL_H

#define CURL_DISABLE_TYPECHECK
#include <curl/curl.h>

#include <netinet/in.h>
#include <netinet/tcp.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

// The variadic functions of libcurl, which Swift cannot call: one wrapper per kind of argument. Macros that hold a cast
// do not import either, so they are constants here.

static const unsigned long ccurl_auth_none = CURLAUTH_NONE;
static const unsigned long ccurl_auth_basic = CURLAUTH_BASIC;
static const unsigned long ccurl_auth_digest = CURLAUTH_DIGEST;
static const unsigned long ccurl_auth_bearer = CURLAUTH_BEARER;

static inline CURLcode ccurl_global_init(void) { return curl_global_init(CURL_GLOBAL_DEFAULT); }

static inline CURLcode ccurl_set_long(CURL *handle, CURLoption option, long value) { return curl_easy_setopt(handle, option, value); }
static inline CURLcode ccurl_set_off(CURL *handle, CURLoption option, curl_off_t value) { return curl_easy_setopt(handle, option, value); }
static inline CURLcode ccurl_set_text(CURL *handle, CURLoption option, const char *value) { return curl_easy_setopt(handle, option, value); }
static inline CURLcode ccurl_set_pointer(CURL *handle, CURLoption option, void *value) { return curl_easy_setopt(handle, option, value); }
static inline CURLcode ccurl_set_list(CURL *handle, CURLoption option, struct curl_slist *value) { return curl_easy_setopt(handle, option, value); }

typedef size_t (*ccurl_data_function)(char *bytes, size_t size, size_t count, void *context);
static inline CURLcode ccurl_set_data_function(CURL *handle, CURLoption option, ccurl_data_function function) {
    return curl_easy_setopt(handle, option, function);
}
static inline CURLcode ccurl_set_open_socket_function(CURL *handle, curl_opensocket_callback function) {
    return curl_easy_setopt(handle, CURLOPT_OPENSOCKETFUNCTION, function);
}
static inline CURLcode ccurl_set_close_socket_function(CURL *handle, curl_closesocket_callback function) {
    return curl_easy_setopt(handle, CURLOPT_CLOSESOCKETFUNCTION, function);
}
static inline CURLcode ccurl_set_prereq_function(CURL *handle, curl_prereq_callback function) {
    return curl_easy_setopt(handle, CURLOPT_PREREQFUNCTION, function);
}

static inline CURLcode ccurl_get_long(CURL *handle, CURLINFO info, long *value) { return curl_easy_getinfo(handle, info, value); }
static inline CURLcode ccurl_get_text(CURL *handle, CURLINFO info, const char **value) { return curl_easy_getinfo(handle, info, value); }
static inline CURLcode ccurl_get_pointer(CURL *handle, CURLINFO info, void **value) { return curl_easy_getinfo(handle, info, value); }

static inline CURLMcode ccurl_multi_set_long(CURLM *multi, CURLMoption option, long value) { return curl_multi_setopt(multi, option, value); }

/// The outcome that a CURLMSG_DONE message carries in its union.
static inline CURLcode ccurl_message_result(const CURLMsg *message) { return message->data.result; }

/// The address in network byte order: 4 bytes for IPv4, 16 for IPv6, and their count; 0 for another family.
static inline int ccurl_address_bytes(const struct curl_sockaddr *address, unsigned char bytes[16]) {
    if (address->family == AF_INET && address->addrlen >= sizeof(struct sockaddr_in)) {
        memcpy(bytes, &((const struct sockaddr_in *)(const void *)&address->addr)->sin_addr, 4);
        return 4;
    }
    if (address->family == AF_INET6 && address->addrlen >= sizeof(struct sockaddr_in6)) {
        memcpy(bytes, &((const struct sockaddr_in6 *)(const void *)&address->addr)->sin6_addr, 16);
        return 16;
    }
    return 0;
}

/// A socket for that address, closed on exec, whose unacknowledged bytes give up after `timeout` milliseconds. -1 with errno.
static inline curl_socket_t ccurl_open_socket(const struct curl_sockaddr *address, unsigned int timeout) {
    curl_socket_t descriptor = socket(address->family, address->socktype | SOCK_CLOEXEC, address->protocol);
    if (descriptor >= 0 && address->socktype == SOCK_STREAM) {
        setsockopt(descriptor, IPPROTO_TCP, TCP_USER_TIMEOUT, &timeout, sizeof timeout);
    }
    return descriptor;
}

#endif
