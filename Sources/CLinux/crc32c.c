#include "clinux.h"

#include <pthread.h>
#include <string.h>

// The reflected polynomial 0x82F63B78 (RFC 3720 appendix B.4), eight bytes a step from tables, and the SSE 4.2 or
// ARMv8 instruction where the processor has it.

static uint32_t table[8][256];

static void fill_tables(void) {
    for (uint32_t n = 0; n < 256; n++) {
        uint32_t crc = n;
        for (int bit = 0; bit < 8; bit++) crc = crc & 1 ? (crc >> 1) ^ 0x82F63B78u : crc >> 1;
        table[0][n] = crc;
    }
    for (uint32_t n = 0; n < 256; n++)
        for (int k = 1; k < 8; k++) table[k][n] = (table[k - 1][n] >> 8) ^ table[0][table[k - 1][n] & 0xFF];
}

static uint32_t crc_by_table(uint32_t crc, const unsigned char *p, size_t count) {
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, fill_tables);
    while (count >= 8) {
        uint32_t low, high;
        memcpy(&low, p, 4);
        memcpy(&high, p + 4, 4);
        low ^= crc;
        crc = table[7][low & 0xFF] ^ table[6][(low >> 8) & 0xFF] ^ table[5][(low >> 16) & 0xFF] ^ table[4][low >> 24] ^
              table[3][high & 0xFF] ^ table[2][(high >> 8) & 0xFF] ^ table[1][(high >> 16) & 0xFF] ^ table[0][high >> 24];
        p += 8;
        count -= 8;
    }
    while (count-- > 0) crc = (crc >> 8) ^ table[0][(crc ^ *p++) & 0xFF];
    return crc;
}

#if defined(__x86_64__)
#include <nmmintrin.h>

__attribute__((target("sse4.2"))) static uint32_t crc_by_instruction(uint32_t crc, const unsigned char *p, size_t count) {
    uint64_t wide = crc;
    while (count >= 8) {
        uint64_t word;
        memcpy(&word, p, 8);
        wide = _mm_crc32_u64(wide, word);
        p += 8;
        count -= 8;
    }
    crc = (uint32_t)wide;
    while (count-- > 0) crc = _mm_crc32_u8(crc, *p++);
    return crc;
}

static int has_instruction(void) { return __builtin_cpu_supports("sse4.2"); }
#elif defined(__aarch64__) && defined(__ARM_FEATURE_CRC32)
#include <arm_acle.h>

static uint32_t crc_by_instruction(uint32_t crc, const unsigned char *p, size_t count) {
    while (count >= 8) {
        uint64_t word;
        memcpy(&word, p, 8);
        crc = __crc32cd(crc, word);
        p += 8;
        count -= 8;
    }
    while (count-- > 0) crc = __crc32cb(crc, *p++);
    return crc;
}

static int has_instruction(void) { return 1; }
#else
static uint32_t crc_by_instruction(uint32_t crc, const unsigned char *p, size_t count) { return crc_by_table(crc, p, count); }
static int has_instruction(void) { return 0; }
#endif

uint32_t reelfs_crc32c(uint32_t seed, const void *bytes, size_t count) {
    uint32_t crc = ~seed;
    crc = has_instruction() ? crc_by_instruction(crc, bytes, count) : crc_by_table(crc, bytes, count);
    return ~crc;
}

uint32_t reelfs_crc32c_by_table(uint32_t seed, const void *bytes, size_t count) { return ~crc_by_table(~seed, bytes, count); }
