// SHA-256 from OpenSSL's libcrypto.
//
// The one-shot and EVP interfaces fetch a provider first, which costs a short command 2 ms (measured, OpenSSL 3.0);
// these functions are the same code reached directly. OpenSSL 3 marks them as old but keeps them.
#ifndef STET_CCRYPTO_H
#define STET_CCRYPTO_H

#define OPENSSL_SUPPRESS_DEPRECATED
#include <openssl/sha.h>

#endif
